import type { onRequestHookHandler } from "fastify";
import type { WireNames } from "../dialects/naming.ts";
import { jsonReply } from "../dialects/reply.ts";
import { sendReply } from "./send-reply.ts";

function isHost(name: string | undefined): boolean {
  return name?.length === 4 && name.toLowerCase() === "host";
}

function hosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) if (isHost(rawHeaders[index])) count += 1;
  return count;
}

/** RFC 9112 §3.2: more than one `Host` is 400. Node keeps the first, and a proxy may have routed by the last. */
export function refuseTwoHosts(names: WireNames): onRequestHookHandler {
  return (request, reply, next) => {
    if (hosts(request.raw.rawHeaders) < 2) next();
    else sendReply(reply, jsonReply(400, [[names.session, request.id]], { error: "Host is given more than once" }));
  };
}
