import { AppError } from "@postern/shared/errors";
import type { FastifyError } from "fastify";

/** What Fastify and Node mark as the client's fault. */
export function isClientFault({ statusCode }: FastifyError): boolean {
  return statusCode !== undefined && statusCode >= 400 && statusCode < 500;
}

/** What Fastify refuses before a dialect sees it, as an error that the dialect can put in its own words. */
export function requestRefusal(error: FastifyError): Error {
  switch (error.code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new AppError("REQUEST_TOO_LARGE");
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new AppError("REQUEST_MEDIA_TYPE");
    default:
      // A body that is not as long as it said, or whose sender hung up.
      return isClientFault(error) ? new AppError("REQUEST_MALFORMED", { cause: error }) : error;
  }
}
