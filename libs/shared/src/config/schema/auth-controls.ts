import { BruteForce } from "./auth-brute-force.ts";
import { section, texts } from "./fields.ts";

/** What is looked at before any directory is asked. */
export const controlSections = {
  enabled: texts([], {
    description: "Controls in use: brute_force, tls_encryption, relay_domains, rbl, lua.",
  }),
  brute_force: BruteForce,
};

export const Controls = section("Controls, each used when enabled names it.", controlSections, { reload: "live" });
