/** Whether the answer is for a browser: it accepts HTML by name, where programs send `*` or JSON. */
export function acceptsHtml(accept = ""): boolean {
  return accept
    .toLowerCase()
    .split(",", 32)
    .some((item) => {
      const [type = "", ...parameters] = item.split(";").map((part) => part.trim());
      if (type !== "text/html" && type !== "application/xhtml+xml") return false;
      return !parameters.some((parameter) => /^q\s*=\s*0(?:\.0*)?$/.test(parameter));
    });
}
