import { callerOperationNames } from "../../../contracts/caller-operations.ts";
import { checkForm } from "../forms.ts";
import { messages } from "../messages.ts";
import { nearestName } from "../nearest-name.ts";
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

function validateCallers({ auth }: Config, { problem }: Judgement): void {
  const { basic_auth, callers } = auth.backchannel;
  const seen = new Set<string>();
  callers.forEach(({ name, password, next_password, operations }, index) => {
    const path = `${root}.callers[${index}]`;
    if (name === "") problem(`${path}.name`, messages.required);
    else if (seen.has(name)) problem(`${path}.name`, messages.userTwice);
    else if (basic_auth.enabled && name === basic_auth.username) problem(`${path}.name`, messages.callerOfPair);
    seen.add(name);
    if (password === "") problem(`${path}.password`, messages.required);
    else if (password === next_password) problem(`${path}.next_password`, messages.samePassword);
    operations.forEach((operation, place) => {
      if (callerOperationNames.includes(operation)) return;
      const near = nearestName(operation, callerOperationNames);
      const hint = near === undefined ? undefined : messages.didYouMean(near);
      problem(`${path}.operations[${place}]`, messages.notForCallers(operation), hint);
    });
  });
}

export function validateBackchannel(config: Config, judgement: Judgement): void {
  const { problem, warning } = judgement;
  const { basic_auth, callers, oidc_bearer, jwt } = config.auth.backchannel;
  for (const name of ["username", "password"] as const) {
    if (basic_auth.enabled && basic_auth[name] === "") {
      problem(`${root}.basic_auth.${name}`, messages.needsWhen(`${root}.basic_auth.enabled is true`));
    }
  }
  if (oidc_bearer.enabled && oidc_bearer.issuer === "") warning(`${root}.oidc_bearer.issuer`, messages.noTokenIssuer);
  validateCallers(config, judgement);
  validateJwt(config, judgement);
  if (!basic_auth.enabled && callers.length === 0 && !oidc_bearer.enabled && !jwt.enabled) {
    warning(root, config.runtime.developer_mode ? messages.openCallers : messages.noCallers);
  }
}
