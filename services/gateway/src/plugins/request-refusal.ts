import { AppError } from "@postern/shared/errors";
import type { FastifyError } from "fastify";

/** What Fastify refuses before a dialect sees it, as an error that the dialect can put in its own words. */
export function requestRefusal(error: FastifyError): Error {
  switch (error.code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new AppError("REQUEST_TOO_LARGE");
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new AppError("REQUEST_MEDIA_TYPE");
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return new AppError("REQUEST_MALFORMED");
    default:
      return error;
  }
}
