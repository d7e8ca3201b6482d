import { type DevicesForgotten, ForgetDevicesRequest } from "@postern/shared/contracts";
import type { FindAccountNames } from "@postern/shared/domain/flush";
import type { RememberedDevices } from "@postern/shared/domain/remembered-devices";
import { AppError } from "@postern/shared/platform/errors";
import { compileCheck } from "@postern/shared/platform/http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AdminContext } from "../context.ts";
import { auditing, readBody, serve } from "../read-request.ts";

const check = compileCheck(ForgetDevicesRequest);

const forget = (devices: RememberedDevices, account: string, id: string | undefined): Promise<number> =>
  id === undefined ? devices.forgetAll(account) : devices.forget(account, id).then(Number);

/** Devices are remembered under the account's own name, which may differ from the one that the operator typed. */
async function deleteDevices(request: FastifyRequest, reply: FastifyReply, context: AdminContext) {
  const { accountNames, rememberedDevices: devices, audit } = context;
  const { username, id } = readBody(check, request.body);
  const about = { event: "remembered_device.end", reason: "operator", target: username } as const;
  const { write, run } = auditing({ audit }, request, about);
  const end = async () => {
    const { accounts, isComplete, isDenied } = await accountNames(username);
    const names = [...new Set([...accounts, username])];
    const counts = devices === undefined ? [] : await Promise.all(names.map((name) => forget(devices, name, id)));
    const done: DevicesForgotten = {
      accounts: names,
      forgotten: counts.reduce((sum, count) => sum + count, 0),
      is_complete: isComplete && !isDenied,
    };
    for (const target of accounts.length > 0 ? accounts : [username]) write("ok", { target });
    return done;
  };
  return reply.header("cache-control", "no-store").send(await run(end, "failed"));
}

/** `/api/v1/remembered-devices`: browsers on which users are not asked for the second factor. */
export function registerRememberedDevices(app: FastifyInstance, context: AdminContext): void {
  serve(app, context, [["forgetUserDevices", deleteDevices]]);
}

/**
 * Ends the remembered devices of an account whose second factor is about to be replaced or removed. Without the feature, nothing is looked
 * up. @throws AppError REDIS_UNAVAILABLE
 */
export function createForgetDevices(devices: RememberedDevices | undefined, accountNames: FindAccountNames) {
  return async (username: string): Promise<void> => {
    if (devices?.isOffered !== true) return;
    const { accounts, isComplete } = await accountNames(username);
    // The devices of a name that is not known now would outlive the factor.
    if (!isComplete) throw new AppError("DIRECTORY_UNAVAILABLE", { detail: "remembered devices could not be ended" });
    await Promise.all([...new Set([...accounts, username])].map((name) => devices.forgetAll(name)));
  };
}
