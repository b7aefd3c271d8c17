/** Menus from a button or by the right mouse key, with the same items. */
import { type ComponentProps, cloneElement, type ReactElement, type ReactNode, type Ref, useId } from 'react';
import { overlayCode, useLate, useOverlayCode } from './late.ts';
import type { MenuItemProps, MenuProps } from './overlay-props.ts';

type Button = ComponentProps<'button'>;

export function Menu({ trigger, open, onOpenChange, ...content }: MenuProps) {
  const own = trigger.props as Button;
  const late = useLate(own.ref as Ref<HTMLElement>, open, onOpenChange);
  const madeId = useId();
  const id = own.id ?? madeId;
  const button = cloneElement(trigger as ReactElement<Button>, {
    id,
    'aria-haspopup': 'menu',
    'aria-expanded': late.isOpen,
    'aria-controls': late.isOpen ? late.contentId : undefined,
    ...own,
    ref: late.ref,
    onPointerDown: (event) => {
      own.onPointerDown?.(event);
      if (event.defaultPrevented || event.button !== 0 || event.ctrlKey) return;
      // The focus goes to the menu, not to the button.
      if (!late.isOpen) event.preventDefault();
      late.setOpen(!late.isOpen);
    },
    onKeyDown: (event) => {
      own.onKeyDown?.(event);
      if (event.defaultPrevented || !['Enter', ' ', 'ArrowDown'].includes(event.key)) return;
      event.preventDefault();
      late.setOpen(event.key === 'ArrowDown' || !late.isOpen);
    },
  });
  return (
    <>
      {button}
      {late.isWanted && <Content late={late} labelledBy={id} {...content} />}
    </>
  );
}

function Content(props: ComponentProps<ReturnType<typeof overlayCode>['MenuContent']>) {
  const code = useOverlayCode();
  return code && <code.MenuContent {...props} />;
}

export function MenuItem(props: MenuItemProps) {
  const { Item } = overlayCode();
  return <Item {...props} />;
}

export function MenuLabel({ children }: { children: ReactNode }) {
  const { Label } = overlayCode();
  return <Label className="px-2 pt-1.5 pb-1 text-sm font-medium text-faint">{children}</Label>;
}

export function MenuLine() {
  const { Separator } = overlayCode();
  return <Separator className="-mx-1 my-1 h-px bg-line" />;
}
