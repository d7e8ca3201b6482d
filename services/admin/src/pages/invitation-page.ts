import { consoleActions, Invitation } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import { html } from "@postern/shared/platform/pages";
import { Value } from "typebox/value";
import type { ConsolePage } from "./console-document.ts";

/** The code for a new operator, once. `next`: path of the page from which it was requested. */
export function invitationPage(answer: unknown, next: string): ConsolePage {
  if (!Value.Check(Invitation, answer))
    throw new AppError("UPSTREAM_UNAVAILABLE", { detail: "inviteOperator returned no code" });
  const { account, code, expires } = answer;
  const body = html`<p role="status">Done: ${consoleActions.invite.label}.</p><h1>Invitation code</h1><p class="lead">For ${account}, once, until ${expires}. Pass it on in person; it is not shown again. The operator sets up a second factor, signs in to the console with it, and enters the code.</p><p class="reference"><code>${code}</code></p><a class="button quiet" href="${next}">Back</a>`;
  return { title: "Invitation code", body };
}
