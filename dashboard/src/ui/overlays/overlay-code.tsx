/** What late.ts loads: menus, popovers and tooltips on the primitives of Radix. Only menu, popover and tooltip use it. */
import { Check } from 'lucide-react';
import { DropdownMenu, Popover as PopoverPrimitive, Tooltip as TooltipPrimitive } from 'radix-ui';
import { type Ref, type RefObject, useLayoutEffect, useRef } from 'react';
import { cx } from '../class-names.ts';
import { Kbd } from '../display/kbd.tsx';
import type { Late, MenuItemProps, MenuProps, PopoverProps, TooltipProps } from './overlay-props.ts';

interface StandInProps {
  anchor: RefObject<HTMLElement | null>;
  ref?: Ref<HTMLElement>;
}

/** Tells a primitive which element is its trigger. The element is rendered elsewhere, with its own handlers. */
function StandIn({ anchor, ref }: StandInProps) {
  const told = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (told.current === anchor.current) return;
    told.current = anchor.current;
    if (typeof ref === 'function') ref(anchor.current);
  });
  return null;
}

const menuPanel =
  'pop z-50 min-w-44 max-w-80 overflow-y-auto max-h-(--radix-dropdown-menu-content-available-height) rounded-panel bg-raised p-1 shadow-float outline-none';
const row =
  'flex min-h-7 items-center gap-2 rounded-control px-2 py-1 outline-none select-none data-highlighted:bg-hover data-disabled:opacity-50';

interface MenuContentProps extends Pick<MenuProps, 'children' | 'align' | 'side'> {
  late: Late;
  labelledBy: string;
}

export function MenuContent({ late, labelledBy, children, align = 'start', side }: MenuContentProps) {
  return (
    <DropdownMenu.Root open={late.isOpen} onOpenChange={late.setOpen} modal={false}>
      <DropdownMenu.Trigger asChild>
        <StandIn anchor={late.anchor} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          id={late.contentId}
          aria-labelledby={labelledBy}
          align={align}
          side={side}
          sideOffset={4}
          collisionPadding={8}
          className={menuPanel}
          onClick={(event) => event.stopPropagation()}
          onCloseAutoFocus={keepMovedFocus}
          {...{ onOpenAutoFocus: late.isByKey() ? focusFirst : undefined }}
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

/** The primitive knows only the keys that were pressed since it was rendered, which may be just now. */
function focusFirst(event: Event): void {
  const menu = event.target as HTMLElement;
  const first = menu.querySelector<HTMLElement>('[role^="menuitem"]:not([data-disabled])');
  event.preventDefault();
  (first ?? menu).focus({ preventScroll: true });
}

/** The focus goes back to the button, unless an item has moved it elsewhere: into a field, or a dialog. */
function keepMovedFocus(event: Event): void {
  if (document.activeElement !== document.body) event.preventDefault();
}

export function Item({
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

export const Label = DropdownMenu.Label;
export const Separator = DropdownMenu.Separator;

interface PopoverContentProps extends Pick<PopoverProps, 'children' | 'align' | 'className' | 'label'> {
  late: Late;
}

export function PopoverContent({ late, children, align = 'start', className, label }: PopoverContentProps) {
  return (
    <PopoverPrimitive.Root open={late.isOpen} onOpenChange={late.setOpen}>
      <PopoverPrimitive.Trigger asChild>
        <StandIn anchor={late.anchor} />
      </PopoverPrimitive.Trigger>
      <PopoverPrimitive.Portal>
        <PopoverPrimitive.Content
          id={late.contentId}
          align={align}
          sideOffset={4}
          collisionPadding={8}
          aria-label={label}
          data-quiet-focus=""
          className={cx('pop z-50 rounded-panel bg-raised shadow-float outline-none', className)}
        >
          {children}
        </PopoverPrimitive.Content>
      </PopoverPrimitive.Portal>
    </PopoverPrimitive.Root>
  );
}

interface TooltipContentProps extends Pick<TooltipProps, 'text' | 'shortcut' | 'side'> {
  late: Late;
  /** Another one was open just before: it comes without an animation. */
  isInstant: boolean;
}

export function TooltipContent({ late, isInstant, text, shortcut, side }: TooltipContentProps) {
  return (
    <TooltipPrimitive.Provider>
      <TooltipPrimitive.Root open={late.isOpen} onOpenChange={late.setOpen}>
        <TooltipPrimitive.Trigger asChild>
          <StandIn anchor={late.anchor} />
        </TooltipPrimitive.Trigger>
        <TooltipPrimitive.Portal>
          <TooltipPrimitive.Content
            id={late.contentId}
            data-state={late.isOpen ? (isInstant ? 'instant-open' : 'delayed-open') : 'closed'}
            side={side}
            sideOffset={6}
            collisionPadding={8}
            className="pop z-60 flex max-w-80 items-center gap-2 rounded-control bg-raised px-2 py-1 text-sm break-words text-ink shadow-float select-none"
          >
            {text}
            {shortcut && <Kbd keys={shortcut} />}
          </TooltipPrimitive.Content>
        </TooltipPrimitive.Portal>
      </TooltipPrimitive.Root>
    </TooltipPrimitive.Provider>
  );
}
