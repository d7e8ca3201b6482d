import type { FindAccountNames } from "@postern/shared/domain/flush";
import type { RememberedDevices } from "@postern/shared/domain/remembered-devices";

/**
 * Ends the remembered devices of an account whose second factor is about to be replaced or removed. Without the feature, nothing is looked
 * up. @throws AppError REDIS_UNAVAILABLE
 */
export function createForgetDevices(devices: RememberedDevices | undefined, accountNames: FindAccountNames) {
  return async (username: string): Promise<void> => {
    if (devices?.isOffered !== true) return;
    const { accounts } = await accountNames(username);
    await Promise.all([...new Set([...accounts, username])].map((name) => devices.forgetAll(name)));
  };
}
