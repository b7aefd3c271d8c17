/** Why a page, a file, a run or a provider has a problem: the sentences of the service, which are English, in the language of the reader. */
import { t } from '../texts/texts.ts';

// biome-ignore lint/suspicious/noExplicitAny: as many as the form has groups
type Words = (...parts: any[]) => string;

/** Whole sentences. What a sentence names, such as an address, stays as it is. */
const known: readonly (readonly [RegExp, Words])[] = [
  [/^no text in it: it is probably a scan$/, () => t('knowledge.why.scan')],
  [/^protected by a password$/, () => t('knowledge.why.password')],
  [/^reading it takes too long$/, () => t('knowledge.why.slow')],
  [/^reading it needs too much memory$/, () => t('knowledge.why.memory')],
  [/^more than (\S+) MB when it is decompressed$/, (size) => t('knowledge.why.decompressed', { size })],
  [/^more than (\d+) characters of text$/, (most) => t('knowledge.why.characters', { most })],
  [/^its elements are nested too deeply$/, () => t('knowledge.why.nested')],
  [/^it cannot be read as .+: it is damaged or something else$/, () => t('knowledge.why.damaged')],
  [/^its first row does not name the columns question and answer$/, () => t('knowledge.why.columns')],
  [/^row (\d+) has no (\w+)$/, (row, column) => t('knowledge.why.row', { row, column })],
  [/^it is not text$/, () => t('knowledge.why.notText')],
  [/^no text in it$/, () => t('knowledge.why.noText')],
  [/^it could not be read: upload it again$/, () => t('knowledge.why.again')],
  [/^the uploaded file is missing: upload it again$/, () => t('knowledge.why.missing')],
  [
    /^the account can have at most (\d+) knowledge documents$/,
    (most) => t('knowledge.why.documents', { most }),
  ],
  [/^the account can have at most (\d+) bytes of knowledge$/, (most) => t('knowledge.why.bytes', { most })],
  [/^robots\.txt does not allow it$/, () => t('knowledge.why.robots')],
  [
    /^redirects to (\S+), outside of (.+)$/,
    (place, where) => t('knowledge.why.redirectsOutside', { place, where }),
  ],
  [/^redirects to (\/\S*|https?:\S+)$/, (place) => t('knowledge.why.redirects', { place })],
  [/^redirects to something that is not a page$/, () => t('knowledge.why.redirectsElsewhere')],
  [/^redirects to a private network$/, () => t('knowledge.why.redirectsPrivate')],
  [/^a redirect to nowhere$/, () => t('knowledge.why.redirectsNowhere')],
  [/^more than (\d+) redirects$/, (most) => t('knowledge.why.redirectsMany', { most })],
  [/^the address is on a private network$/, () => t('knowledge.why.private')],
  [/^larger than (\d+) MB$/, (size) => t('knowledge.why.large', { size })],
  [/^the compression of the answer is broken$/, () => t('knowledge.why.compression')],
  [/^an answer without content$/, () => t('knowledge.why.empty')],
  [/^no sitemap is there$/, () => t('knowledge.why.noSitemap')],
  [/^sitemap: (.+)$/, (reason) => t('knowledge.why.sitemap', { reason: explain(reason) })],
  [/^no text in it: it is (.+)$/, (type) => t('knowledge.why.type', { type })],
  [/^the settings ask for a review$/, () => t('knowledge.why.review')],
  [/^something went wrong on our side: start it again$/, () => t('knowledge.why.ours')],
  [/^outside of (.+)$/, (where) => t('knowledge.why.outside', { where })],
  [/^no text without JavaScript$/, () => t('knowledge.why.script')],
  [/^the page says noindex$/, () => t('knowledge.why.noindex')],
  [/^same text as (.+)$/, (place) => t('knowledge.why.same', { place })],
  [/^the page names (.+) as its address$/, (place) => t('knowledge.why.canonical', { place })],
  [/^(\d+), tried (\d+) times$/, (status, times) => t('knowledge.why.tried', { status, times })],
  [/^the site answered (404|410)$/, (status) => t('knowledge.why.noPage', { status })],
  [/^the site answered (\d+)$/, (status) => t('knowledge.why.status', { status })],
  [/^the limit of (\d+) pages was reached$/, (most) => t('knowledge.why.pages', { most })],
  [/^more than (\d+) links away from the first page$/, (most) => t('knowledge.why.links', { most })],
  [/^neither a page nor a sitemap names it any more$/, () => t('knowledge.why.unnamed')],
  [/^(\d+) of (\d+) published documents would go$/, (gone, all) => t('knowledge.why.wouldGo', { gone, all })],
  [/^cancelled by (.+)$/, (name) => t('knowledge.why.cancelledBy', { name })],
  [/^another sync was started$/, () => t('knowledge.why.another')],
  [/^the settings of the website were changed$/, () => t('knowledge.why.settings')],
  [
    /^(\d+) pages in a row failed, the last one with: (.+)$/,
    (times, reason) => t('knowledge.why.inARow', { times, reason: explain(reason) }),
  ],
  [
    /^no page could be read\. (\S+): (.+)$/,
    (place, reason) => t('knowledge.why.nothing', { place, reason: explain(reason) }),
  ],
  [
    /^(\S+) has sent no page for (\d+) minutes$/,
    (host, minutes) => t('knowledge.why.silent', { host, minutes }),
  ],
  [
    /^the website could not be read within 2 hours: lower its maximum number of pages$/,
    () => t('knowledge.why.hours'),
  ],
  [
    /^the provider answered (\d+)(?:: (.+))?$/,
    (status, said) =>
      said === undefined
        ? t('knowledge.why.providerStatus', { status })
        : t('knowledge.why.providerSaid', { status, said }),
  ],
  [/^the provider cannot be reached: (.+)$/, (reason) => t('knowledge.why.provider', { reason })],
  [/^the provider returned an unreadable answer$/, () => t('knowledge.why.providerAnswer')],
  [/^the key cannot be read: enter it again$/, () => t('knowledge.why.key')],
  [
    /^the vectors have (\d+) dimensions, those before had (\d+): .+$/,
    (now, before) => t('knowledge.why.dimensions', { now, before }),
  ],
  [
    /^(https?:\S+) could not be read: (.+)$/,
    (place, reason) => t('knowledge.why.unread', { place, reason: explain(reason) }),
  ],
];

/** Null: the service has said it in words that are not known here. */
export function inOwnWords(text: string): string | null {
  for (const [form, words] of known) {
    const found = form.exec(text);
    if (found) return words(...found.slice(1));
  }
  return null;
}

/** The service's reasons are written to follow a colon. */
export const explain = (text: string): string =>
  inOwnWords(text) ?? `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
