export {
  type CookieEntry,
  createRememberedDevices,
  newCookieEntry,
  type RememberedDevice,
  type RememberedDevices,
} from "./remembered-devices-redis.ts";
