/** Whether an image has a digest or a tag other than `latest`, so that it cannot change unnoticed. */
export function isPinned(image: string): boolean {
  const reference = image.slice(image.lastIndexOf("/") + 1);
  const tag = /[:@](.+)$/u.exec(reference)?.[1];
  return tag !== undefined && tag !== "latest";
}
