import { IsOptional, Length, Matches, Min, ValidateBy } from 'class-validator';
import { Field, InputType, Int } from 'type-graphql';
import { jsonSchema } from '../../../kernel/graphql/json-schema.ts';
import { MAX_DATA_LENGTH, MAX_SIZE_BYTES } from './attachment-data.ts';
import { NAME_LENGTH_MAX, NAME_PATTERN, nameProblem } from './attachment-name.ts';

const IsFilename = (): PropertyDecorator =>
  ValidateBy(
    {
      name: 'isFilename',
      validator: {
        validate: (value) => typeof value === 'string' && nameProblem(value) === undefined,
        defaultMessage: ({ value } = {} as never) => nameProblem(String(value)) ?? '',
      },
    },
    jsonSchema({ minLength: 1, maxLength: NAME_LENGTH_MAX, pattern: NAME_PATTERN }),
  );

/** A file that is sent with a ticket or a comment. The content is checked before the file is stored. */
@InputType({ description: 'A file to attach.' })
export class AttachmentInput {
  @Field(() => String, { description: 'File name without a path, at most 255 characters.' })
  @IsFilename()
  filename!: string;

  @Field(() => String, { description: 'Media type, such as `image/png`. Use `application/octet-stream` if unknown.' })
  @Matches(/^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}(\s*;[\x20-\x7e]{0,255})?$/, { message: 'must be a media type such as image/png' })
  contentType!: string;

  @Field(() => Int, { nullable: true, description: 'Size in bytes. If given, it must match the data.' })
  @IsOptional()
  @Min(0, { message: 'must not be negative' })
  size?: number | null;

  @Field(() => String, {
    description: `Content in Base64 (RFC 4648, section 4) without line breaks, at most ${MAX_SIZE_BYTES / 1024 / 1024} MiB. A GraphQL request can have 1 MiB in total; send larger files over REST.`,
  })
  @Length(1, MAX_DATA_LENGTH, {
    message: `must have 1 byte to ${MAX_SIZE_BYTES / 1024 / 1024} MiB`,
    ...jsonSchema({
      minLength: 4,
      maxLength: MAX_DATA_LENGTH,
      contentEncoding: 'base64',
      pattern: '^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
    }),
  })
  data!: string;
}
