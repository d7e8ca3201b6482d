/** The media type of a `Content-Type`, in lower case and without its parameters; empty when there is none. */
export function mediaTypeOf(contentType: string | undefined): string {
  const [type = ""] = (contentType ?? "").split(";", 1);
  return type.trim().toLowerCase();
}
