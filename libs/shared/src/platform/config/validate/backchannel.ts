import { checkForm } from "../forms.ts";
import { messages } from "../messages.ts";
import type { Config } from "../schema/root.ts";
import type { Judgement } from "./judgement.ts";

const root = "auth.backchannel";

function validateJwt({ auth }: Config, { problem }: Judgement): void {
  const { jwt } = auth.backchannel;
  if (!jwt.enabled) return;
  const whenEnabled = messages.needsWhen(`${root}.jwt.enabled is true`);
  if (jwt.secret_key === "") problem(`${root}.jwt.secret_key`, whenEnabled);
  const seen = new Set<string>();
  jwt.users.forEach(({ username, password }, index) => {
    const path = `${root}.jwt.users[${index}]`;
    if (username === "") problem(`${path}.username`, messages.required);
    if (seen.has(username)) problem(`${path}.username`, messages.userTwice);
    seen.add(username);
    const expected = checkForm("password-hash", password);
    if (expected !== undefined) problem(`${path}.password`, messages.mustBe(expected));
  });
}

export function validateBackchannel(config: Config, judgement: Judgement): void {
  const { problem, warning } = judgement;
  const { basic_auth, oidc_bearer, jwt } = config.auth.backchannel;
  for (const name of ["username", "password"] as const) {
    if (basic_auth.enabled && basic_auth[name] === "") {
      problem(`${root}.basic_auth.${name}`, messages.needsWhen(`${root}.basic_auth.enabled is true`));
    }
  }
  if (oidc_bearer.enabled && oidc_bearer.issuer === "") warning(`${root}.oidc_bearer.issuer`, messages.noTokenIssuer);
  validateJwt(config, judgement);
  if (!basic_auth.enabled && !oidc_bearer.enabled && !jwt.enabled) {
    warning(root, config.runtime.developer_mode ? messages.openCallers : messages.noCallers);
  }
}
