import { t } from '../texts/texts.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Kbd } from '../ui/kbd.tsx';
import { groupTitles, type ShortcutGroup, useShortcuts } from './shortcuts.tsx';

export default function ShortcutsHelp({
  open,
  onOpenChange,
}: {
  open: boolean;
  onOpenChange(open: boolean): void;
}) {
  const shortcuts = useShortcuts();
  const groups = Object.keys(groupTitles) as ShortcutGroup[];
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={t('shortcuts.title')} wide>
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
