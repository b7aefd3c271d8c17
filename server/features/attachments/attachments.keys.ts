/** Where a file stands in the store. */

/** Spread over 256 folders by the random end of the key: its beginning is the time. */
export function blobKey(accountId: string, fileKey: string): string {
  return `${accountId}/${fileKey.slice(-2)}/${fileKey}`;
}

export function thumbnailKey(accountId: string, fileKey: string): string {
  return `${blobKey(accountId, fileKey)}-thumbnail`;
}

/**
 * Where a client may put a file into the bucket itself. It is taken over from there once it has been looked at: a
 * second PUT to the same address changes nothing that anyone sees.
 */
export function uploadKey(accountId: string, fileKey: string): string {
  return `uploads/${accountId}/${fileKey}`;
}
