export { browserName, deviceName } from "./device-name.ts";
