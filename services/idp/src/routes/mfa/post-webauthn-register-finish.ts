import { pathTo } from "@postern/shared/contracts";
import { cleanName } from "../../mfa/self-service.ts";
import { readRegistration } from "../../mfa/webauthn/browser-answer.ts";
import type { LoginDeps } from "../login/deps.ts";
import type { VisitHandler } from "../page-routes.ts";
import { noteDone } from "../visit.ts";
import { noteShown, placeAfterFactor } from "./enrolled.ts";
import { forFresh } from "./member.ts";

const enrolment = pathTo("webauthnRegistrationPage");
const devices = pathTo("webauthnDevicesPage");

function nameIn(body: unknown): string {
  return typeof body === "object" && body !== null && "name" in body && typeof body.name === "string" ? body.name : "";
}

/** `POST /mfa/webauthn/register/finish`: JSON from the page's script, 200 `{redirect}` or 400 `{error}`. */
export function finishPasskeyEnrolment(deps: LoginDeps): VisitHandler {
  return forFresh(deps, enrolment, async (visit, member, state) => {
    const { reply, request } = visit;
    reply.header("cache-control", "no-store");
    const response = readRegistration(request.body);
    if (response === undefined) return reply.code(400).send({ error: "invalid_request" });
    const name = cleanName(nameIn(request.body), `Passkey ${state.webauthnCredentials.length + 1}`);
    const outcome = await deps.self.addPasskey(member.subject, response, name);
    if (outcome !== "done") return reply.code(400).send({ error: outcome });
    await noteShown(deps, member, "webauthn");
    noteDone(deps.pages, visit, "passkey_added");
    return reply.send({ redirect: await placeAfterFactor(deps, visit, member, { before: state, page: devices }) });
  });
}
