import { Link } from '@tanstack/react-router';
import { Compass } from 'lucide-react';
import { useIsAdmin } from '../data/session.ts';
import { t } from '../texts/texts.ts';
import { Kbd } from '../ui/display/kbd.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { groupTitles, type ShortcutGroup, useShortcuts } from './shortcuts.tsx';

export default function ShortcutsHelp({
  open,
  onOpenChange,
}: {
  open: boolean;
  onOpenChange(open: boolean): void;
}) {
  const isAdmin = useIsAdmin();
  const shortcuts = useShortcuts();
  const groups = Object.keys(groupTitles) as ShortcutGroup[];
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={t('shortcuts.title')}
      wide
      isText
      footer={
        isAdmin && (
          <Link
            to="/start"
            onClick={() => onOpenChange(false)}
            className="inline-flex h-7 items-center gap-1.5 rounded-control px-2.5 font-medium text-muted hover:bg-hover hover:text-ink"
          >
            <Compass aria-hidden className="size-4" />
            {t('rail.start')}
          </Link>
        )
      }
    >
      <div className="grid gap-x-10 gap-y-5 pb-3 sm:grid-cols-2">
        {groups.map((group) => {
          const distinct = new Map(
            shortcuts.filter((one) => one.group === group).map((one) => [one.keys, one]),
          );
          if (distinct.size === 0) return null;
          return (
            <section key={group}>
              <h3 className="mb-1 text-sm font-medium text-faint">{groupTitles[group]()}</h3>
              <dl>
                {[...distinct.values()].map((one) => (
                  <div
                    key={one.keys}
                    className="flex items-center justify-between border-b border-line py-1.5 last:border-0"
                  >
                    <dt>{one.label}</dt>
                    <dd>
                      <Kbd keys={one.keys} />
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          );
        })}
      </div>
    </Dialog>
  );
}
