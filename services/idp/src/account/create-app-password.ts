import type { FastifyReply } from "fastify";
import { lookOf, sendProblem, type Visit } from "../visit/visit.ts";
import type { AccountContext } from "./context.ts";
import { notificationOf } from "./factor-owner.ts";
import type { Member } from "./member.ts";
import { cleanName } from "./self-service.ts";

interface AppPasswordPages {
  /** The page of the form. */
  readonly page: string;
  readonly showProblem: (problem: string) => FastifyReply | Promise<FastifyReply>;
  readonly showCreated: (created: {
    readonly password: string;
    readonly label: string;
  }) => FastifyReply | Promise<FastifyReply>;
}

/** Creates the app password whose label a form names. */
export async function createAppPassword(
  { pages, store, notify }: AccountContext,
  visit: Visit,
  { owner }: Member,
  { page, showProblem, showCreated }: AppPasswordPages,
): Promise<FastifyReply> {
  const label = cleanName(visit.form.one("label") ?? "", "");
  if (label === "") return sendProblem(pages, visit, "request", { href: page });
  const created = await store.createAppPassword(owner.account, label, owner.context);
  if (created === "full") return showProblem(lookOf(pages, visit).text("app_passwords.full"));
  if (created === undefined) return sendProblem(pages, visit, "failed", { href: page });
  notify(notificationOf(owner, "app_password_created"));
  return showCreated(created);
}
