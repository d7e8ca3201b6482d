import type { FastifyError } from "fastify";

/** Errors that Fastify and Node mark as the client's fault. */
export function isClientFault({ statusCode }: FastifyError): boolean {
  return statusCode !== undefined && statusCode >= 400 && statusCode < 500;
}
