import { cx } from '../ui/class-names.ts';

/** The notes of the newest release are unread. */
export const NewsDot = ({ className }: { className?: string }) => (
  <span aria-hidden className={cx('size-2 rounded-full bg-accent', className)} />
);
