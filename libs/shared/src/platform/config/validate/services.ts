import { messages } from "../messages.ts";
import type { Config } from "../schema/root.ts";
import type { Judgement } from "./judgement.ts";

const root = "auth.services.backend_health_checks.targets";
/** Each gateway checks every target. */
const maxTargets = 256;

export function validateServices(config: Config, { problem }: Judgement): void {
  const { targets } = config.auth.services.backend_health_checks;
  if (targets.length > maxTargets) problem(root, messages.tooMany(maxTargets));
  targets.forEach(({ tls, starttls, protocol }, index) => {
    if (starttls && tls) problem(`${root}[${index}].starttls`, messages.notWith(`${root}[${index}].tls`));
    if (starttls && protocol === "http") problem(`${root}[${index}].starttls`, messages.notWith("protocol http"));
  });
}
