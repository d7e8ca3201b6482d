/** A name with a tag or digest that is not `latest`: what runs today runs tomorrow. */
export function isPinned(image: string): boolean {
  const reference = image.slice(image.lastIndexOf("/") + 1);
  const tag = /[:@](.+)$/u.exec(reference)?.[1];
  return tag !== undefined && tag !== "latest";
}
