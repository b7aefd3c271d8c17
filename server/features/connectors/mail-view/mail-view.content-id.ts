/** As in `Content-ID`, without the angle brackets. */
export function contentIdOf(cid: string): string {
  const bare = cid.trim().replace(/^<|>$/g, '');
  try {
    return decodeURIComponent(bare);
  } catch {
    return bare;
  }
}
