import { Smile } from 'lucide-react';
import { useState } from 'react';
import { recall, remember } from '../app/remembered.ts';
import { t } from '../texts/texts.ts';
import { IconButton } from '../ui/button.tsx';
import { Popover } from '../ui/popover.tsx';
import { emojis } from './emoji-list.ts';

const columns = 8;

export function EmojiButton({ onPick }: { onPick(emoji: string): void }) {
  const [open, setOpen] = useState(false);
  const pick = (emoji: string) => {
    setOpen(false);
    const recent = recall<string[]>('recent-emoji', []).filter((one) => one !== emoji);
    remember('recent-emoji', [emoji, ...recent].slice(0, columns));
    onPick(emoji);
  };
  return (
    <Popover
      open={open}
      onOpenChange={setOpen}
      label={t('inbox.compose.emoji')}
      className="w-74 p-2"
      trigger={
        <IconButton label={t('inbox.compose.emoji')} tip={false}>
          <Smile className="size-4" />
        </IconButton>
      }
    >
      <EmojiList onPick={pick} />
    </Popover>
  );
}

function EmojiList({ onPick }: { onPick(emoji: string): void }) {
  const [text, setText] = useState('');
  const [recent] = useState(() => recall<string[]>('recent-emoji', []));
  const wanted = text.trim().toLowerCase();
  const found = wanted
    ? emojis.filter(([, words]) => words.includes(wanted)).map(([emoji]) => emoji)
    : [...new Set([...recent, ...emojis.map(([emoji]) => emoji)])];
  const words = new Map(emojis);
  return (
    <>
      <input
        aria-label={t('inbox.emoji.search')}
        placeholder={t('inbox.emoji.search')}
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
