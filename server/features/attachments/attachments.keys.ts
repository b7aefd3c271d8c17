/** Where a file is in the store, and whose it is. */

/** The uploader of files for knowledge. No actor has this id: no message gets them, and nobody downloads them. */
export const knowledgeUpload = 'knowledge';

/** Spread over 256 folders by the random end of the key: its beginning is the time. */
export function blobKey(accountId: string, fileKey: string): string {
  return `${accountId}/${fileKey.slice(-2)}/${fileKey}`;
}

export function thumbnailKey(accountId: string, fileKey: string): string {
  return `${blobKey(accountId, fileKey)}-thumbnail`;
}

/**
 * Where a client may upload to the bucket directly. The file is moved from there once it has been checked: a second
 * PUT to the same address changes nothing visible.
 */
export function uploadKey(accountId: string, fileKey: string): string {
  return `uploads/${accountId}/${fileKey}`;
}
