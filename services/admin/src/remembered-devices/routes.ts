import { type DevicesForgotten, ForgetDevicesRequest, operation } from "@postern/shared/contracts";
import { type AuditOutcome, auditedCaller } from "@postern/shared/domain/audit";
import type { RememberedDevices } from "@postern/shared/domain/remembered-devices";
import { compileCheck, guardedRoute } from "@postern/shared/platform/http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { AdminContext } from "../context.ts";
import { malformed, sessionOf } from "../read-request.ts";

const check = compileCheck(ForgetDevicesRequest);

const forget = (devices: RememberedDevices, account: string, id: string | undefined): Promise<number> =>
  id === undefined ? devices.forgetAll(account) : devices.forget(account, id).then(Number);

/** Devices are remembered under the account's own name, which may differ from the one that the operator typed. */
function deleteDevices({ accountNames, rememberedDevices: devices, audit }: AdminContext) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { body, caller } = request;
    if (!check.accepts(body)) throw malformed(check.explain(body));
    const { username, id } = body;
    const line = { event: "remembered_device.end", ...auditedCaller(caller), reason: "operator" } as const;
    const write = (outcome: AuditOutcome, target: string): void =>
      audit.record({ ...line, outcome, target, session: sessionOf(request) });
    try {
      const { accounts, isComplete, isDenied } = await accountNames(username);
      const names = [...new Set([...accounts, username])];
      const counts = devices === undefined ? [] : await Promise.all(names.map((name) => forget(devices, name, id)));
      const done: DevicesForgotten = {
        accounts: names,
        forgotten: counts.reduce((sum, count) => sum + count, 0),
        is_complete: isComplete && !isDenied,
      };
      for (const name of accounts.length > 0 ? accounts : [username]) write("ok", name);
      return await reply.header("cache-control", "no-store").send(done);
    } catch (error) {
      write("failed", username);
      throw error;
    }
  };
}

/** `/api/v1/remembered-devices`: browsers on which users are not asked for the second factor. */
export function registerRememberedDevices(app: FastifyInstance, context: AdminContext): void {
  const route = guardedRoute(operation("forgetUserDevices"), context.settings.identifier);
  app.route({ ...route, handler: deleteDevices(context) });
}
