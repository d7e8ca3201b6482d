import { pathTo } from "@postern/shared/contracts";
import { type FormView, html } from "@postern/shared/platform/pages";
import type { Look, Page } from "../look.ts";
import { deleteForm, sampleForm, signOf } from "../parts.ts";

export interface RemovalView extends FormView {
  readonly what: "totp" | "passkey" | "passkeys" | "app_password";
  /** Name of the passkey or app password, or of all passkeys. */
  readonly names: readonly string[];
  /** No other second factor remains. */
  readonly isLast: boolean;
  /** Number of recovery codes that are removed too. */
  readonly codes: number;
  /** An application demands the factor, so it cannot be removed. `applications` are those whose names are known. */
  readonly needed: { readonly applications: readonly string[] } | undefined;
  readonly back: string;
}

function titleOf({ what, names }: RemovalView, { text }: Look): string {
  return text(`remove.${what}_title`, { name: names.join(", ") });
}

function neededPart({ needed }: RemovalView, { text }: Look) {
  if (needed === undefined) return undefined;
  const applications = needed.applications.join(", ");
  return html`<div class="note"><strong>${text("error.required_title")}</strong><p>${text("error.required_text")}</p>${
    applications !== "" && html`<p>${text("remove.needed", { applications })}</p>`
  }</div>`;
}

const iconOf = { totp: "phone", passkey: "key", passkeys: "key", app_password: "shield" } as const;

/** Confirms a removal. */
export const removalPage: Page<RemovalView> = {
  name: "remove",
  title: titleOf,
  body: (view, look) => {
    const { text } = look;
    const { what, names, isLast, codes, needed, action, csrfToken, back } = view;
    return html`${signOf(iconOf[what], "bad")}<h1>${titleOf(view, look)}</h1>
<p class="lead">${text(`remove.${what}_text`)}</p>
${what === "passkeys" && html`<ul>${names.map((name) => html`<li>${name}</li>`)}</ul>`}
${
  needed === undefined &&
  isLast &&
  html`<div class="note warn">${text("remove.last")}${codes > 0 && html`<p>${text("remove.codes", { count: String(codes) })}</p>`}</div>`
}
${neededPart(view, look)}
${needed === undefined && deleteForm({ action, csrfToken }, text(what === "app_password" ? "app_passwords.revoke" : "remove.confirm"))}
<a class="button quiet" href="${back}">${text(needed === undefined ? "remove.keep" : "common.back")}</a>`;
  },
  sample: {
    ...sampleForm(pathTo("deleteWebauthnDevice", { id: "one" })),
    what: "passkey",
    names: ["Laptop"],
    isLast: true,
    codes: 8,
    needed: undefined,
    back: "#back",
  },
};
