import ArgumentParser
@main struct PluginHost: ParsableCommand {}
