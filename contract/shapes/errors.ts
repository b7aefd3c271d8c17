import { Type } from './type.ts';

export const ErrorBody = Type.Object(
  {
    error: Type.String({ description: 'The status phrase, for example "Bad Request".' }),
    message: Type.String({ description: 'What is wrong, naming the field where there is one.' }),
    code: Type.String({
      description:
        'The machine-readable reason, for example VALIDATION_FAILED. With status 503, BUSY means that the service is overloaded, UNAVAILABLE that the database or the file store cannot be reached; retry after Retry-After.',
    }),
    requestId: Type.String(),
  },
  { $id: 'Error' },
);

export const Done = Type.Object({ message: Type.String() });
