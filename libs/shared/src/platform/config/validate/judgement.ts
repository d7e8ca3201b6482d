import type { Report } from "../problem.ts";
import type { Config } from "../schema/root.ts";

export interface Judgement {
  readonly problem: Report;
  readonly warning: Report;
}

export type Validator = (config: Config, judgement: Judgement) => void;
