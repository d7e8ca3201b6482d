import { messages } from "../messages.ts";
import type { Config } from "../schema/root.ts";
import type { Judgement } from "./judgement.ts";

const responses: readonly string[] = ["notify", "delay", "second_factor", "hold_submission", "hold_mail", "deny"];

export function validateRisk({ auth }: Config, { problem, warning }: Judgement): void {
  const { risk, controls } = auth;
  for (const level of ["suspicious", "dangerous"] as const) {
    if (risk[level].responses.some((name) => !responses.includes(name))) {
      problem(`auth.risk.${level}.responses`, messages.mustBe(`a list of ${responses.join(", ")}`));
    }
  }
  if (risk.dangerous.score < risk.suspicious.score) {
    problem("auth.risk.dangerous.score", messages.tooSmall("auth.risk.suspicious.score"));
  }
  if (risk.mode === "enforce" && !controls.enabled.includes("brute_force")) {
    warning("auth.risk.mode", messages.needsBruteForce);
  }
}
