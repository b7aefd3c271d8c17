import { useKanbans } from '../data/queries.ts';
import { cx } from '../ui/class-names.ts';
import { Dot } from '../ui/display/badge.tsx';
import { hues } from '../ui/hues.ts';

/** By position in the list: there are few boards, and two with the same colour would be confused. */
function useBoardColor(id: string): string {
  const position = useKanbans().findIndex((board) => board.id === id);
  return `var(--hue-${hues[(Math.max(0, position) * 5 + 6) % hues.length]})`;
}

export const BoardDot = ({ id, className }: { id: string; className?: string }) => (
  <Dot color={useBoardColor(id)} className={cx('rounded-[3px]', className ?? 'size-2.5')} />
);
