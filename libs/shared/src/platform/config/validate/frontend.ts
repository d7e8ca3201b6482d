import { messages } from "../messages.ts";
import { languageTags } from "../schema/identity-frontend.ts";
import type { Config } from "../schema/root.ts";
import type { Judgement } from "./judgement.ts";

const root = "identity.frontend";

export function validateFrontend({ identity, storage }: Config, { problem }: Judgement): void {
  const { enabled, localization } = identity.frontend;
  const known: readonly string[] = languageTags;
  for (const [index, tag] of localization.languages.entries()) {
    if (!known.includes(tag))
      problem(`${root}.localization.languages.${index}`, messages.unknownLanguage(tag, known.join(", ")));
  }
  if (!localization.languages.includes(localization.default_language)) {
    problem(`${root}.localization.default_language`, messages.languageNotOffered);
  }
  if (enabled && storage.redis.encryption_secret === "") {
    problem("storage.redis.encryption_secret", messages.needsWhen(`${root}.enabled is true`));
  }
  // Cookies and passkeys belong to the host that browsers see.
  if (enabled && identity.oidc.issuer === "") {
    problem("identity.oidc.issuer", messages.needsWhen(`${root}.enabled is true`));
  }
}
