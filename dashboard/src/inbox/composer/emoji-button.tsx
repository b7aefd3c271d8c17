import { Smile } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { recall, remember } from '../../app/remembered.ts';
import { t, withTexts } from '../../texts/texts.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { Popover } from '../../ui/overlays/popover.tsx';

/** With its words in the reader's language, by which they are searched. */
const EmojiList = lazy(withTexts('emoji', () => import('./emoji-list.tsx')));
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
      <Suspense>
        <EmojiList onPick={pick} />
      </Suspense>
    </Popover>
  );
}
