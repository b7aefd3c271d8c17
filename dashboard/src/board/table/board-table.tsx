/** The cards of a board as a table. */
import { t } from '../../texts/texts.ts';
import type { LayoutProps } from '../data/layout-props.ts';

export default function BoardTable({ board }: LayoutProps) {
  return <section aria-label={t('table.label', { board: board.name })} className="min-h-0 flex-1" />;
}
