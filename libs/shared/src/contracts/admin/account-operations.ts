import { type Static, Type } from "typebox";
import { errorAnswer, jsonAnswer, jsonBody, operatorApi } from "../operations/answers.ts";
import {
  component,
  count,
  flag,
  optional,
  optionalCount,
  optionalFlag,
  optionalText,
  text,
  texts,
  time,
} from "../schema.ts";

const username = text("Account or alias. In the body, so that it is in no access log.", {
  minLength: 1,
  maxLength: 1024,
});

export const SuspensionRequest = component("SuspensionRequest", {
  username,
  for: optionalText(
    "Time after which the account is resumed, such as `24h` or `7d`. Absent or empty: when it is resumed.",
    { maxLength: 32 },
  ),
  reason: optionalText(
    "Text for the user, in one line, shown after a correct password. Absent or empty: a general one.",
    { maxLength: 250 },
  ),
});
export type SuspensionRequest = Static<typeof SuspensionRequest>;

export const ResumptionRequest = component("ResumptionRequest", { username });

export const SuspensionRecord = component("Suspension", {
  account: Type.String(),
  since: time("When it was suspended."),
  until: optional(time("When it is resumed. Absent: when an operator resumes it.")),
  reason: optionalText("Text for the user."),
  by: text(
    "Operator or API caller. Empty for callers that are limited to domains, unless it is a name in one of them.",
  ),
  session: text("GUID of the request, as in the audit record."),
});
export type SuspensionRecord = Static<typeof SuspensionRecord>;

export const SuspensionList = component("SuspensionList", { suspensions: Type.Array(SuspensionRecord) });
export type SuspensionList = Static<typeof SuspensionList>;

export const SuspensionDone = component("SuspensionDone", {
  accounts: texts(
    "Accounts that are suspended now, or that were resumed. More than one if backends name the account differently.",
  ),
  until: optional(time("When they are resumed. Absent: when an operator resumes them, or now.")),
  is_known: flag("False: no backend that answered has the account, and exactly the name as typed is suspended."),
  is_complete: optionalFlag(
    "False: a backend or an engine did not answer, or a policy denied the lookup, so the name may stand for further accounts, which are not suspended. The name as typed is. Absent: every backend answered.",
  ),
  sessions_ended: optionalCount(
    "Browser sessions that were ended, with all tokens. Absent if the identity provider did not answer: sessions are refused while the account is suspended, and the request may be repeated to end them.",
  ),
});
export type SuspensionDone = Static<typeof SuspensionDone>;

export const ForgetDevicesRequest = component("ForgetDevicesRequest", {
  username,
  id: optionalText("ID of one device, as the operation showAccount lists it. Absent: all of the account.", {
    minLength: 1,
    maxLength: 64,
  }),
});
export type ForgetDevicesRequest = Static<typeof ForgetDevicesRequest>;

export const DevicesForgotten = component("DevicesForgotten", {
  accounts: texts("Accounts that the name stands for, and the name itself."),
  forgotten: count("Number of devices on which the second factor is asked for again."),
  is_complete: flag("False: a backend or an engine did not answer, so the name may stand for further accounts."),
});
export type DevicesForgotten = Static<typeof DevicesForgotten>;

const inBody = { of: "account", in: "body", member: "username" } as const;
const operators = (name: string) =>
  operatorApi({ name, prefix: `/api/v1/${name}`, owner: "admin" }, "Help desk", {
    400: errorAnswer("A member of the body is missing or invalid."),
  });
const suspensions = operators("suspensions");
const devices = operators("remembered-devices");

/** What the help desk does with an account: suspensions, and devices that are remembered. */
export const accountOperations = [
  suspensions("get", "/api/v1/suspensions", "listSuspensions", {
    concerns: { of: "accounts" },
    summary: "List the suspended accounts",
    answers: { 200: jsonAnswer("The accounts, the latest suspension first.", SuspensionList) },
  }),
  suspensions("post", "/api/v1/suspensions", "suspendAccount", {
    concerns: inBody,
    summary: "Suspend an account",
    description:
      "Refuses all sign-ins to the account, by any name, protocol and credential, and ends its sessions and tokens. Mail is still delivered, and connections that mail servers have open stay open. Repeating it replaces end and reason. Callers and operators who are limited to domains get 403 if a caller or operator of the whole site suspended it. Audited as account.suspend.",
    request: jsonBody(SuspensionRequest),
    answers: {
      200: jsonAnswer("The account is suspended.", SuspensionDone),
      400: errorAnswer("A member of the body is missing or invalid, or 10,000 accounts are suspended."),
    },
  }),
  suspensions("delete", "/api/v1/suspensions", "resumeAccount", {
    concerns: inBody,
    summary: "Resume a suspended account",
    description:
      "Its user can sign in again. Sessions and tokens of earlier sign-ins remain ended. An account that is not suspended is not an error. Callers and operators who are limited to domains get 403 if a caller or operator of the whole site suspended it. Audited as account.resume.",
    request: jsonBody(ResumptionRequest),
    answers: { 200: jsonAnswer("The accounts that were resumed; none if none was suspended.", SuspensionDone) },
  }),
  devices("delete", "/api/v1/remembered-devices", "forgetUserDevices", {
    concerns: inBody,
    summary: "Ask for the second factor again on the remembered devices of a user",
    description:
      "Sessions on the devices remain: end them with deleteOidcSessions. A device that does not exist is not an error. Audited as remembered_device.end.",
    request: jsonBody(ForgetDevicesRequest),
    answers: { 200: jsonAnswer("The devices are not remembered any more.", DevicesForgotten) },
  }),
];
