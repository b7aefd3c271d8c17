import { useShortcut } from '../../app/shortcuts.tsx';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Menu, MenuItem } from '../../ui/overlays/menu.tsx';
import { type LayoutName, layoutNames } from '../data/board-look.ts';
import { layouts } from '../layouts.tsx';

const nameOf = (layout: LayoutName) => t(`board.layout.${layout}`);

export interface LayoutSwitcherProps {
  layout: LayoutName;
  onLayout(layout: LayoutName): void;
}

export function LayoutSwitcher({ layout, onLayout }: LayoutSwitcherProps) {
  const Shown = layouts[layout].icon;
  return (
    <>
      <Menu
        trigger={
          <Button tone="quiet" className="shrink-0">
            <span className="sr-only">{t('board.layout')}:</span>
            <Shown className="size-3.5" />
            <span className="max-md:sr-only">{nameOf(layout)}</span>
          </Button>
        }
      >
        {layoutNames.map((name) => {
          const Icon = layouts[name].icon;
          return (
            <MenuItem
              key={name}
              icon={<Icon className="size-3.5" />}
              shortcut={layouts[name].keys}
              checked={name === layout}
              onSelect={() => onLayout(name)}
            >
              {nameOf(name)}
            </MenuItem>
          );
        })}
      </Menu>
      {layoutNames.map((name) => (
        <LayoutKeys key={name} name={name} onLayout={onLayout} />
      ))}
    </>
  );
}

/** The keys make it an action of the palette, too. */
function LayoutKeys({ name, onLayout }: { name: LayoutName; onLayout(layout: LayoutName): void }) {
  const label = `${t('board.layout')}: ${nameOf(name)}`;
  useShortcut(layouts[name].keys, () => onLayout(name), { label, group: 'board' });
  return null;
}
