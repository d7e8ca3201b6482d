import { type Static, Type } from "typebox";
import { errorAnswer, jsonAnswer, jsonBody, operatorApi } from "../operations/answers.ts";
import { component, flag, optionalText, text, texts } from "../schema.ts";

export const ForgetDevicesRequest = component("ForgetDevicesRequest", {
  username: text("Account or alias. In the body, so that it is in no access log.", { minLength: 1, maxLength: 1024 }),
  id: optionalText("ID of one device, as the operation showAccount lists it. Absent: all of the account.", {
    minLength: 1,
    maxLength: 64,
  }),
});
export type ForgetDevicesRequest = Static<typeof ForgetDevicesRequest>;

export const DevicesForgotten = component("DevicesForgotten", {
  accounts: texts("Accounts that the name stands for, and the name itself."),
  forgotten: Type.Integer({
    minimum: 0,
    description: "Number of devices on which the second factor is asked for again.",
  }),
  is_complete: flag("False: a backend or an engine did not answer, so the name may stand for further accounts."),
});
export type DevicesForgotten = Static<typeof DevicesForgotten>;

const path = "/api/v1/remembered-devices";
const define = operatorApi({ name: "remembered-devices", prefix: path, owner: "admin" }, "Help desk", {
  400: errorAnswer("A member of the body is missing or invalid."),
});

export const rememberedDeviceOperations = [
  define("delete", path, "forgetUserDevices", {
    concerns: { of: "account", in: "body", member: "username" },
    summary: "Ask for the second factor again on the remembered devices of a user",
    description:
      "Sessions on the devices remain: end them with deleteOidcSessions. A device that does not exist is not an error. Audited as remembered_device.end.",
    request: jsonBody(ForgetDevicesRequest),
    answers: { 200: jsonAnswer("The devices are not remembered any more.", DevicesForgotten) },
  }),
];
