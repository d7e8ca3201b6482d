import { IncomingMessage, type ServerResponse } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { certificateHeader, requestObjectHeader } from "../request-objects/hand-over.ts";
import type { Generation } from "./generation.ts";
import { referenceHeader } from "./interaction-url.ts";

interface OwnRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  /** Form-encoded. */
  readonly body?: string;
  /** Replace headers of the request; undefined removes one. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

function ownHeaders({ caller, id }: FastifyRequest): Readonly<Record<string, string>> {
  return { [referenceHeader]: caller?.session ?? id, [certificateHeader]: caller?.certificate?.der ?? "" };
}

function pinned(headers: IncomingMessage["headers"], issuer: string): IncomingMessage["headers"] {
  const { host, protocol } = new URL(issuer);
  const forwarded = { host, "x-forwarded-host": host, "x-forwarded-proto": protocol.slice(0, -1) };
  // Only our own requests contain it.
  return { ...headers, ...forwarded, [requestObjectHeader]: "", [certificateHeader]: "" };
}

function ownMessage(raw: IncomingMessage, own: OwnRequest, issuer: string): IncomingMessage {
  const message = new IncomingMessage(raw.socket);
  const { body } = own;
  const headers = { ...pinned(raw.headers, issuer), ...own.headers };
  delete headers["content-length"];
  delete headers["transfer-encoding"];
  delete headers["content-type"];
  if (body !== undefined) {
    headers["content-type"] = "application/x-www-form-urlencoded";
    headers["content-length"] = String(Buffer.byteLength(body));
    message.push(body);
  }
  message.push(null);
  // The message is complete; otherwise its end would look like an aborted request.
  message.complete = true;
  message.method = own.method;
  message.url = own.url;
  message.httpVersion = raw.httpVersion;
  message.httpVersionMajor = raw.httpVersionMajor;
  message.httpVersionMinor = raw.httpVersionMinor;
  message.headers = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
  return message;
}

/** Passes requests to the provider with the host name of the issuer: the client's Host header is not trusted. */
export function createBridge(current: () => Generation) {
  const passRaw = (raw: IncomingMessage, response: ServerResponse, own: OwnRequest): void => {
    const { handle, settings } = current();
    handle(ownMessage(raw, own, settings.issuer), response);
  };
  return {
    /** Passes the request unchanged, with its body. */
    pass: (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
      const { handle, settings } = current();
      const { raw } = request;
      raw.headers = { ...pinned(raw.headers, settings.issuer), ...ownHeaders(request) };
      reply.hijack();
      handle(raw, reply.raw);
      return reply;
    },
    /** Passes a request of our own instead. */
    passAs: (request: FastifyRequest, reply: FastifyReply, own: OwnRequest): FastifyReply => {
      // Before the reply is hijacked: if there is no provider yet, the error handler answers.
      current();
      reply.hijack();
      const headers = { ...own.headers, ...ownHeaders(request) };
      passRaw(request.raw, reply.raw, { ...own, headers });
      return reply;
    },
    /** Handles a raw response that was already hijacked. */
    passRaw,
  };
}

export type Bridge = ReturnType<typeof createBridge>;
