/** Menus from a button or by the right mouse key, with the same items. */
import { Check } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import type { ReactElement, ReactNode } from 'react';
import { cx } from '../class-names.ts';
import { Kbd } from '../display/kbd.tsx';

const panel =
  'pop z-50 min-w-44 max-w-80 overflow-y-auto max-h-(--radix-dropdown-menu-content-available-height) rounded-panel bg-raised p-1 shadow-float outline-none';
const row =
  'flex min-h-7 items-center gap-2 rounded-control px-2 py-1 outline-none select-none data-highlighted:bg-hover data-disabled:opacity-50';

export interface MenuProps {
  trigger: ReactElement;
  children: ReactNode;
  align?: 'start' | 'center' | 'end';
  side?: 'top' | 'right' | 'bottom' | 'left';
  open?: boolean;
  onOpenChange?(open: boolean): void;
}

export function Menu({ trigger, children, align = 'start', side, open, onOpenChange }: MenuProps) {
  return (
    <DropdownMenu.Root open={open} onOpenChange={onOpenChange} modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align={align}
          side={side}
          sideOffset={4}
          collisionPadding={8}
          className={panel}
          onClick={(event) => event.stopPropagation()}
          onCloseAutoFocus={keepMovedFocus}
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

/** The focus goes back to the button, unless an item has moved it elsewhere: into a field, or a dialog. */
function keepMovedFocus(event: Event): void {
  if (document.activeElement !== document.body) event.preventDefault();
}

export interface MenuItemProps {
  icon?: ReactNode;
  children: ReactNode;
  onSelect(): void;
  shortcut?: string;
  danger?: boolean;
  disabled?: boolean;
  /** Shows a tick: the item stands for a choice. */
  checked?: boolean;
  /** Lets the menu stay open, for several choices. */
  stay?: boolean;
  /** For screen readers, where the content is only a sign. */
  label?: string;
  /** Only as wide as its content, for several in a row. */
  isCompact?: boolean;
}

export function MenuItem({
  icon,
  children,
  onSelect,
  shortcut,
  danger,
  disabled,
  checked,
  stay,
  label,
  isCompact,
}: MenuItemProps) {
  const content = (
    <>
      {icon && <span className="flex size-4 shrink-0 items-center justify-center text-muted">{icon}</span>}
      <span className="min-w-0 flex-1 truncate">{children}</span>
      {checked && !isCompact && <Check className="size-3.5 shrink-0" />}
      {shortcut && <Kbd keys={shortcut} />}
    </>
  );
  const select = (event: Event) => {
    if (stay) event.preventDefault();
    onSelect();
  };
  const look = cx(row, danger && 'text-danger', isCompact && checked && 'bg-accent-soft');
  return checked === undefined ? (
    <DropdownMenu.Item aria-label={label} disabled={disabled} onSelect={select} className={look}>
      {content}
    </DropdownMenu.Item>
  ) : (
    <DropdownMenu.CheckboxItem
      aria-label={label}
      checked={checked}
      disabled={disabled}
      onSelect={select}
      className={look}
    >
      {content}
    </DropdownMenu.CheckboxItem>
  );
}

export const MenuLabel = ({ children }: { children: ReactNode }) => (
  <DropdownMenu.Label className="px-2 pt-1.5 pb-1 text-sm font-medium text-faint">
    {children}
  </DropdownMenu.Label>
);
export const MenuLine = () => <DropdownMenu.Separator className="-mx-1 my-1 h-px bg-line" />;
