import { Module } from '@nestjs/common';
import { EventsModule } from './events/events.module';
import { MembersModule } from './members/members.module';

@Module({ imports: [EventsModule, MembersModule] })
export class AppModule {}
