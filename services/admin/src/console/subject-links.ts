import { pathTo } from "@postern/shared/contracts";
import type { AskingOperator } from "../operators/operator-api.ts";
import type { SubjectHandles } from "../operators/subject-handles.ts";
import type { SubjectLinks } from "./shown-values.ts";

/** The links that this operator's pages contain. */
export function linksOf(handles: SubjectHandles, { account }: Pick<AskingOperator, "account">): SubjectLinks {
  const to = (path: string) => (subject: string) => `${path}?for=${handles.make(account, subject)}`;
  return { search: to(pathTo("consoleSearch")), account: to(pathTo("consoleAccount")) };
}
