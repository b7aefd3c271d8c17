/** A mailbox: mail comes in by IMAP and goes out by SMTP. */
import {
  type FetchedMedia,
  type InboundMedia,
  type Link,
  type Provider,
  ProviderError,
} from '../connectors.provider.ts';
import { pollInbox, tryImap } from './email.imap.ts';
import { mailReader } from './email.reader.ts';
import { checkMailbox, mailboxCredentials, mailboxSettings, settingsOf } from './email.settings.ts';
import { sendMail, trySmtp } from './email.smtp.ts';
import { translateMail } from './email.translate.ts';

const megabyte = 1024 * 1024;
/** Most servers take 25 MB, in which a file is a third larger than it is. */
const fileBytes = 18 * megabyte;

export const email: Provider = {
  kind: 'email',
  channelTypes: ['email'],
  settings: mailboxSettings,
  credentials: mailboxCredentials,
  userNames: ['imap.user', 'smtp.user'],
  limits: {
    text: Number.MAX_SAFE_INTEGER,
    caption: 0,
    fileBytes: { image: fileBytes, video: fileBytes, audio: fileBytes, document: fileBytes },
    format: 'markdown',
    inOneCall: true,
    hasVoice: false,
    files: 'bytes',
    inboundBytes: megabyte,
    perSecond: 5,
    perCustomerSecond: 1,
  },
  checkSettings: checkMailbox,

  async check(link) {
    await tryImap(link);
    await trySmtp(link);
    return { detail: `Connected to the mailbox of ${settingsOf(link).address}.` };
  },

  async connect(link) {
    const cursor = await tryImap(link);
    await trySmtp(link);
    return { state: 'connected', cursor };
  },

  async disconnect() {},

  verify: () => ({ status: 401, accepted: null }),
  polls: () => true,
  poll: pollInbox,
  translate: (link, { text }) => translateMail(link, text),
  fetchMedia,
  send: sendMail,
};

/** `ref` is the original and the place of the file in it. */
async function fetchMedia(link: Link, { ref }: InboundMedia): Promise<FetchedMedia> {
  const [original, index] = (ref ?? '').split('/');
  if (!original) throw new ProviderError('final', 'there is no storage left for it');
  const raw = await link.originals?.read(original);
  const file = raw ? (await mailReader.read(raw)).files[Number(index)] : undefined;
  if (!file) throw new ProviderError('gone', 'The file no longer exists.');
  return { bytes: file.bytes, mimeType: file.type, fileName: file.name };
}
