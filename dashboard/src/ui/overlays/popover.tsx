import { type ComponentProps, cloneElement, type ReactElement, type Ref } from 'react';
import { type overlayCode, useLate, useOverlayCode } from './late.ts';
import type { PopoverProps } from './overlay-props.ts';

type Button = ComponentProps<'button'>;

export function Popover({ trigger, open, onOpenChange, ...content }: PopoverProps) {
  const own = trigger.props as Button;
  const late = useLate(own.ref as Ref<HTMLElement>, open, onOpenChange);
  const button = cloneElement(trigger as ReactElement<Button>, {
    'aria-haspopup': 'dialog',
    'aria-expanded': late.isOpen,
    'aria-controls': late.isOpen ? late.contentId : undefined,
    ...own,
    ref: late.ref,
    onClick: (event) => {
      own.onClick?.(event);
      if (!event.defaultPrevented) late.setOpen(!late.isOpen);
    },
  });
  return (
    <>
      {button}
      {late.isWanted && <Content late={late} {...content} />}
    </>
  );
}

function Content(props: ComponentProps<ReturnType<typeof overlayCode>['PopoverContent']>) {
  const code = useOverlayCode();
  return code && <code.PopoverContent {...props} />;
}
