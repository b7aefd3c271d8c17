/** Points out another article with the same title, which readers and agents could not tell apart. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { t } from '../../texts/texts.ts';
import { documentsQuery } from '../knowledge-data.ts';
import { toItem } from '../knowledge-parts.tsx';
import { useSettledText } from '../settled-text.ts';

export interface SameTitleProps {
  title: string;
  /** Articles in another language may have the same title. Empty: that of the source. */
  language: string;
  /** The article itself; null: it does not exist yet. */
  ownId: string | null;
}

export function SameTitle({ title, language, ownId }: SameTitleProps) {
  const q = useSettledText(title);
  const found = useInfiniteQuery({ ...documentsQuery({ q }), enabled: q !== '' });
  const isSame = (text: string) => text.trim().toLowerCase() === q.toLowerCase();
  const other = found.data?.pages
    .flatMap(({ items }) => items)
    .find((one) => one.id !== ownId && isSame(one.title) && (language === '' || one.language === language));
  if (q === '' || !other) return null;
  return (
    <p role="status" className="-mt-3 text-sm text-warning">
      {t('knowledge.article.sameTitle')}{' '}
      <Link {...toItem('documents', other.id)} className="underline underline-offset-2">
        {t('knowledge.article.sameTitleLook')}
      </Link>
    </p>
  );
}
