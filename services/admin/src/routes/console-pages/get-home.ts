import { pathTo } from "@postern/shared/contracts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { goTo } from "./console-visit.ts";

/** `GET /console` */
export async function getHome(_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  return goTo(reply, pathTo("consoleSearch"));
}
