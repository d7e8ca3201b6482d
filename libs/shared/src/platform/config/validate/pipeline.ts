import { messages } from "../messages.ts";
import type { Config } from "../schema/root.ts";
import type { Judgement } from "./judgement.ts";

const root = "auth.pipeline";

export function validatePipeline({ auth }: Config, { problem }: Judgement): void {
  auth.pipeline.decoy_passwords.forEach(({ stored }, index) => {
    if (stored === "") problem(`${root}.decoy_passwords[${index}].stored`, messages.required);
  });
}
