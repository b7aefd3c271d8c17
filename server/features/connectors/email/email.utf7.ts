/** UTF-7 (RFC 2152), which decoders of the platform do not know. Old mail servers still send it. */
export function decodeUtf7(text: string): string {
  return text.replaceAll(/\+([A-Za-z0-9+/]*)-?/g, (_, base64: string) => {
    if (base64 === '') return '+';
    const bytes = Buffer.from(base64, 'base64');
    let decoded = '';
    for (let at = 0; at + 1 < bytes.length; at += 2) decoded += String.fromCharCode(bytes.readUInt16BE(at));
    return decoded.toWellFormed();
  });
}
