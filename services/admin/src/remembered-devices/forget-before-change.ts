import type { FindAccountNames } from "@postern/shared/domain/flush";
import type { RememberedDevices } from "@postern/shared/domain/remembered-devices";
import { AppError } from "@postern/shared/platform/errors";

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
