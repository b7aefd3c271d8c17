import { useMemo, useState } from 'react';
import { recall } from '../../app/remembered.ts';
import { t } from '../../texts/texts.ts';

const readEmojis = (list: string): (readonly [emoji: string, words: string])[] =>
  list.split(',').map((entry) => {
    const [emoji = '', ...words] = entry.trim().split(' ');
    return [emoji, words.join(' ')];
  });
/** `coracao` finds `coração`. */
const plain = (text: string) => text.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');

export default function EmojiList({ onPick }: { onPick(emoji: string): void }) {
  const [text, setText] = useState('');
  const emojis = useMemo(() => readEmojis(t('emoji.list')), []);
  const [recent] = useState(() => recall<string[]>('recent-emoji', []));
  const wanted = plain(text.trim());
  const found = wanted
    ? emojis.filter(([, words]) => plain(words).includes(wanted)).map(([emoji]) => emoji)
    : [...new Set([...recent, ...emojis.map(([emoji]) => emoji)])];
  const words = new Map(emojis);
  return (
    <>
      <input
        aria-label={t('inbox.emoji.search')}
        placeholder={t('inbox.emoji.search')}
        // biome-ignore lint/a11y/noAutofocus: it stands here because it was asked for
        autoFocus
        value={text}
        data-quiet-focus=""
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === 'Enter' && found[0] && onPick(found[0])}
        className="mb-1 h-8 w-full border-b border-line bg-transparent px-1 outline-none"
      />
      <div className="grid max-h-56 grid-cols-8 overflow-y-auto">
        {found.map((emoji) => (
          <button
            key={emoji}
            type="button"
            aria-label={words.get(emoji) ?? emoji}
            onClick={() => onPick(emoji)}
            className="flex size-8 items-center justify-center rounded-control text-lg hover:bg-hover"
          >
            {emoji}
          </button>
        ))}
      </div>
      {found.length === 0 && <p className="py-4 text-center text-muted">{t('ui.nothingFound')}</p>}
    </>
  );
}
