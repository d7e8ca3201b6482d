import { parseMasterUserFormat } from "../master-user-format.ts";
import { messages } from "../messages.ts";
import type { Config } from "../schema/root.ts";
import type { Judgement } from "./judgement.ts";

const root = "auth.pipeline.master_user";

export function validateMasterUser(config: Config, { problem, warning }: Judgement): void {
  const { enabled, user_format: format, users } = config.auth.pipeline.master_user;
  if (!enabled) return;
  if (parseMasterUserFormat(format) === undefined) problem(`${root}.user_format`, messages.masterUserFormat);
  if (users.length === 0) warning(`${root}.users`, messages.noMasterUsers);
}
